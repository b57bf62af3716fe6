"""Runs the steps of action.yml as the runner of GitHub does: action.py GPUSEL INPUT=VALUE… Prints the step summary, then
the outputs as JSON; ends as the last step does."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def filled(text, values):
    """Of expressions, those that the action uses: inputs, outputs of steps, and the runner's own, which are empty here."""
    return re.sub(r"\$\{\{ *([^}]*?) *\}\}", lambda found: values.get(found.group(1), ""), text)


def outputs_of(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def main():
    action = yaml.safe_load((SOURCE / "action.yml").read_text())
    folder = pathlib.Path(tempfile.mkdtemp())
    summary = folder / "summary"
    summary.touch()
    values = {f"inputs.{name}": str(one.get("default", "")) for name, one in action["inputs"].items()}
    values["inputs.gpusel"] = sys.argv[1]
    values.update({"inputs." + given.split("=", 1)[0]: given.split("=", 1)[1] for given in sys.argv[2:]})
    status = 0
    for number, step in enumerate(action["runs"]["steps"]):
        if "if" in step:  # a pull request, which is none here
            continue
        output = folder / f"output{number}"
        output.touch()
        environment = {**os.environ, "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
                       **{name: filled(text, values) for name, text in step.get("env", {}).items()}}
        status = subprocess.run(["bash", "-e", "-c", step["run"]], env=environment, check=False).returncode
        values.update({f"steps.{step.get('id')}.outputs.{name}": text for name, text in outputs_of(output).items()})
        if status:
            break
    print(summary.read_text())
    print(json.dumps({name: filled(one["value"], values) for name, one in action["outputs"].items()}))
    return status


sys.exit(main())
