"""Checks files that `gpusel export` wrote: check.py FOLDER. Each is called TARGET.JOB; the schemas of the fields that
vendors document stand in tests/schema/export. Prints what is wrong and ends with 1 if anything is."""
import json
import pathlib
import subprocess
import sys

import jsonschema
import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = {"vllm", "sglang", "trtllm", "llama-server", "ollama", "torchrun", "docker", "slurm"}
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
            yield document["run"]
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


def shell_problems(text, shells=("bash", "sh")):
    for shell in shells:
        ran = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False)
        if ran.returncode:
            yield f"{shell} -n: {ran.stderr.strip()}"


def check_file(path):
    target = path.name.split(".")[0]
    text = path.read_text()
    if target == "answer":
        check = validator(SOURCE / "docs/schema/export-1.json")
        yield from problems_of(check, json.loads(text))
        return
    if target in SCRIPTS:
        yield from shell_problems(text, ("bash",) if target in BASH else ("bash", "sh"))
        return
    if target in ("axolotl", "llama-factory"):  # the configuration, the script that starts it, and DeepSpeed's file
        text, script = text.split("---\n", 2)[:2]
        yield from shell_problems(script)
    documents = [json.loads(text)] if target == "deepspeed" else list(yaml.safe_load_all(text))
    check = validator(SOURCE / f"tests/schema/export/{target}.json")
    for document in documents:
        yield from problems_of(check, document)
    for command in shell_texts(target, documents):
        yield from shell_problems(command)


def main():
    files = [path for path in sorted(pathlib.Path(sys.argv[1]).iterdir()) if not path.name.startswith("terraform.")]
    wrong = [f"{path.name}: {problem}" for path in files for problem in check_file(path)]
    print("\n".join(wrong) if wrong else f"{len(files)} files are as they should be")
    return 1 if wrong or not files else 0


sys.exit(main())
