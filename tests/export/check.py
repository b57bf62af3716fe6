"""Checks files that `gpusel export` wrote: check.py FOLDER. Each is called TARGET.JOB; the schemas of the fields that
vendors document stand in tests/schema/export. Prints what is wrong and ends with 1 if anything is."""
import ast
import json
import pathlib
import re
import shlex
import subprocess
import sys

import jsonschema
import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = {"vllm", "sglang", "trtllm", "llama-server", "ollama", "torchrun", "docker", "slurm", "runpod", "vast", "tei",
           "torchtune"}
BASH = {"slurm"}


# Where the specs of pods stand.
PODS = {
    "kubernetes": lambda spec: [spec["template"]["spec"]],
    "kserve": lambda spec: [spec["predictor"]],
    "lws": lambda spec: [spec["leaderWorkerTemplate"][one]["spec"] for one in ("leaderTemplate", "workerTemplate")],
    "jobset": lambda spec: [one["template"]["spec"]["template"]["spec"] for one in spec["replicatedJobs"]],
}


def validator(path):
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def problems_of(check, document):
    for error in check.iter_errors(document):
        for cause in error.context or [error]:
            yield f"{cause.json_path}: {cause.message[:300]}"


def shell_texts(target, documents):
    """Commands inside of documents."""
    for document in documents:
        if target == "skypilot":
            yield document.get("run", "")
            yield document.get("setup", "")
        elif target == "dstack":
            yield "\n".join(document.get("commands", []))
        elif target == "compose":
            for service in document["services"].values():
                yield service["command"][0].replace("$$", "$")
        elif target in PODS and document["kind"] != "Service":
            for pod in PODS[target](document["spec"]):
                for container in pod["containers"]:
                    yield from container["args"]


def variables(node):
    """Of the containers: their values are the reader's."""
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
        yield from variables(value)
    if isinstance(node, dict) and isinstance(node.get("Environment"), list):
        yield from node["Environment"]


def cloud_formation(documents):
    """Every reference is to a parameter or a resource of the template."""
    for document in documents:
        named = set(document["Parameters"]) | set(document["Resources"])

        def references(node):
            if isinstance(node, dict):
                if set(node) == {"Ref"}:
                    yield node["Ref"]
                elif set(node) == {"Fn::GetAtt"}:
                    yield node["Fn::GetAtt"][0]
                for value in node.values():
                    yield from references(value)
            elif isinstance(node, list):
                for value in node:
                    yield from references(value)

        for name in references([document["Resources"], document["Outputs"]]):
            if name not in named:
                yield f"nothing is called {name}"
        for variable in variables(document["Resources"]):
            if set(variable["Value"]) != {"Ref"}:
                yield f"{variable['Name']} has a value of its own"
        for name, resource in document["Resources"].items():
            if not resource["Type"].startswith("AWS::"):
                yield f"{name}: {resource['Type']} is no resource"


def runpod_pod(text):
    """The body that the script sends."""
    body = json.loads(text.split("END_OF_POD'\n", 1)[1].split("END_OF_POD\n", 1)[0])
    for key in ("name", "imageName", "gpuTypeIds", "gpuCount", "containerDiskInGb", "dockerStartCmd"):
        if not body.get(key):
            yield f"{key} is missing"
    yield from shell_problems(body["dockerStartCmd"][0])


def azure_files(text):
    """deployment.yaml, endpoint.yaml and the Dockerfile; of a job its file alone."""
    parts = text.split("---\n")
    documents = [yaml.safe_load(part) for part in parts[:2 if len(parts) > 1 else 1]]
    for document in documents:
        if not document["$schema"].endswith(".schema.json"):
            yield "no schema is named"
    if len(parts) > 1:
        if documents[0]["endpoint_name"] != documents[1]["name"]:
            yield "the deployment is of another endpoint"
        last = parts[2].strip().splitlines()
        if not last[-2].startswith("FROM ") or not last[-1].startswith("ENTRYPOINT "):
            yield "the Dockerfile starts nothing"
        yield from shell_problems(json.loads(last[-1].removeprefix("ENTRYPOINT "))[2])
    else:
        yield from shell_problems(documents[0]["command"])


def vertex_files(text):
    if text.startswith("#!"):
        yield from shell_problems(text, ("bash", "sh"))
        return
    for pool in yaml.safe_load(text)["workerPoolSpecs"]:
        yield from shell_problems(pool["containerSpec"]["args"][0])


# Programs inside of scripts: written to a file first, or given as a word.
PYTHON_FILE = re.compile(r"^ *cat > \S+\.py <<'END'\n(.*?)\nEND$", re.MULTILINE | re.DOTALL)
PYTHON_WORD = re.compile(r"python3? -c '([^'\\]*)'")
WORK = re.compile(r"<<'END_OF_WORK'\n(.*?)\nEND_OF_WORK$", re.MULTILINE | re.DOTALL)
JSON_FILE = re.compile(r"^ *cat > \S+\.json <<'END'\n(.*?)\nEND$", re.MULTILINE | re.DOTALL)


def python_problems(text):
    for program in PYTHON_FILE.findall(text) + PYTHON_WORD.findall(text):
        try:
            ast.parse(program)
        except SyntaxError as error:
            yield f"Python: {error}: {error.text}"


def shell_problems(text, shells=("bash", "sh")):
    for shell in shells:
        ran = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False)
        if ran.returncode or ran.stderr:  # a text without its end mark is but a warning
            yield f"{shell} -n: {ran.stderr.strip()}"
    yield from python_problems(text)
    for document in JSON_FILE.findall(text):
        json.loads(document)
    for inner in WORK.findall(text):
        yield from shell_problems(inner)
    # The script that a container is started with is the last word of its line.
    for line in re.findall(r"^exec docker run .*|^  vastai create instance .*", text, re.MULTILINE | re.DOTALL):
        words = shlex.split(line.split("\ndone\n")[0].replace("\\\n", " "))
        yield from shell_problems(words[-1])


def check_file(path):
    target = path.name.split(".")[0]
    text = path.read_text()
    if target == "answer":
        check = validator(SOURCE / "docs/schema/export-1.json")
        yield from problems_of(check, json.loads(text))
        return
    if target == "terraform":  # its grammar is terraform.go's
        for script in re.findall(r"start += <<-?(\w+)\n(.*?)\n *\1\n", text, re.DOTALL):
            yield from shell_problems(script[1].replace("$${", "${").replace("%%{", "%{"))
        return
    if target in SCRIPTS:
        yield from shell_problems(text, ("bash",) if target in BASH else ("bash", "sh"))
        if target == "runpod":
            yield from runpod_pod(text)
        return
    if target in ("sagemaker", "batch"):
        yield from cloud_formation(list(yaml.safe_load_all(text)))
        return
    if target in ("azureml", "vertex"):
        yield from (azure_files if target == "azureml" else vertex_files)(text)
        return
    if target in ("axolotl", "llama-factory"):  # the configuration, the script that starts it, and DeepSpeed's file
        text, script = text.split("---\n", 2)[:2]
        yield from shell_problems(script)
    documents = [json.loads(text)] if target == "deepspeed" else list(yaml.safe_load_all(text))
    if target == "skypilot" and "run" not in documents[0] and "starts nothing on them" not in text.replace("\n#  ", ""):
        yield "runs nothing"
    check = validator(SOURCE / f"tests/schema/export/{target}.json")
    for document in documents:
        yield from problems_of(check, document)
    for command in shell_texts(target, documents):
        yield from shell_problems(command)


def main():
    files = sorted(pathlib.Path(sys.argv[1]).iterdir())
    wrong = [f"{path.name}: {problem}" for path in files for problem in check_file(path)]
    print("\n".join(wrong) if wrong else f"{len(files)} files are as they should be")
    return 1 if wrong or not files else 0


sys.exit(main())
