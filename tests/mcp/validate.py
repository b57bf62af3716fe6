"""Validates one session: what the client wrote (a file) and what the server wrote (standard input).

usage: validate.py PROTOCOL_SCHEMA CLIENT_LINES < SERVER_LINES

Every line of the server must be valid by the schema of the protocol's messages, every inputSchema a
valid JSON Schema, and the arguments of every call that was answered must be valid by its tool's schema.
"""

import json
import sys

from jsonschema import Draft202012Validator


def main(schema_file, client_file):
    with open(schema_file, encoding="utf-8") as file:
        protocol = json.load(file)
    Draft202012Validator.check_schema(protocol)
    validator = Draft202012Validator(protocol)
    asked = {}
    with open(client_file, encoding="utf-8") as file:
        for line in file:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict) and message.get("method") == "tools/call":
                asked[message["id"]] = message.get("params", {})
    wrong = []
    tools = {}
    lines = calls = 0
    for line in sys.stdin:
        lines += 1
        message = json.loads(line)
        if "error" in message and message.get("id", 0) is None:
            del message["id"]  # JSON-RPC 2.0, section 5: null, for which the schema has no place
        wrong += [f"line {lines}: {error.message[:300]}" for error in validator.iter_errors(message)]
        result = message.get("result", {})
        for tool in result.get("tools", []):
            Draft202012Validator.check_schema(tool["inputSchema"])
            tools[tool["name"]] = Draft202012Validator(tool["inputSchema"])
        if result.get("isError") is False:
            calls += 1
            params = asked[message["id"]]
            for error in tools[params["name"]].iter_errors(params.get("arguments", {})):
                wrong.append(f"arguments of call {message['id']}: {error.message[:300]}")
    for problem in wrong:
        print(problem)
    print(f"{lines} lines, {len(tools)} tools, {calls} calls answered, {len(wrong)} wrong")
    return 1 if wrong or not tools or not calls else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
