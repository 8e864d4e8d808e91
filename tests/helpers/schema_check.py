"""schema_check.py FOLDER DOCUMENT...: judges each document by the schema that it names.

FOLDER holds KIND.schema.json for "typeclaw.KIND/1".  Of every document that is good, variants
with one member renamed or of another type must be refused: a schema that accepts everything would
prove nothing.
"""
import copy
import json
import os
import sys

import jsonschema


def objects(value, path=()):
    """The path of every object in `value`."""
    if isinstance(value, dict):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from objects(item, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def variants(document):
    for path in objects(document):
        for name in at(document, path):
            renamed, retyped = copy.deepcopy(document), copy.deepcopy(document)
            at(renamed, path)["x-" + name] = at(renamed, path).pop(name)
            at(retyped, path)[name] = 1.5
            yield f"{path} without {name}", renamed
            yield f"{path} with {name} 1.5", retyped


def check(folder, file):
    document = json.load(open(file))
    kind = document["schema"].removeprefix("typeclaw.").removesuffix("/1")
    schema = json.load(open(os.path.join(folder, kind + ".schema.json")))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for error in validator.iter_errors(document):
        raise SystemExit(f"{file}: {list(error.path)}: {error.message}")
    count = 0
    for what, variant in variants(document):
        if validator.is_valid(variant):
            raise SystemExit(f"{file}: {kind}.schema.json accepts {what}")
        count += 1
    print(f"{kind} {count}")


for name in sys.argv[2:]:
    check(sys.argv[1], name)
