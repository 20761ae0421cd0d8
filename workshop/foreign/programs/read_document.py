"""Reads the API document and real answers with the tools of Python, and prints what they refuse, as JSON.

Standard input has `document`, the API document; `documents`, those to validate; and `answers`, each with its schema and body.
"""

import datetime
import json
import sys
from typing import Annotated, Any, Literal, Union

import jsonschema
import openapi_spec_validator
import pydantic

FORMATS = {"date-time": datetime.datetime, "date": datetime.date, "uri": pydantic.AnyUrl}
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
RULES = {
    "pattern": "pattern",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minimum": "ge",
    "maximum": "le",
}


class Models:
    """Makes a pydantic model of each schema, with its rules, as generators of models do."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.named = {}

    def type_of(self, schema):
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            if name not in self.named:
                self.named[name] = self.type_of(self.schemas[name])
            return self.named[name]
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return Union[tuple(self.type_of(each) for each in schema[keyword])]
        if "const" in schema or "enum" in schema:
            return Literal[tuple(schema.get("enum", [schema.get("const")]))]
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return Union[tuple(self.plain_type(kind, schema) for kind in kinds)]

    def plain_type(self, kind, schema):
        if kind == "null":
            return None
        if kind == "object":
            return self.object_type(schema)
        rules = {RULES[name]: value for name, value in schema.items() if name in RULES}
        if kind == "array":
            return Annotated[list[self.type_of(schema["items"])], pydantic.Field(**rules)]
        return Annotated[FORMATS.get(schema.get("format"), TYPES[kind]), pydantic.Field(**rules)]

    def object_type(self, schema):
        if "properties" not in schema:
            values = schema.get("additionalProperties")
            return dict[str, self.type_of(values) if isinstance(values, dict) else Any]
        required = schema.get("required", [])
        fields = {
            name: (self.type_of(each), ...) if name in required else (self.type_of(each) | None, None)
            for name, each in schema["properties"].items()
        }
        return pydantic.create_model("Model", __config__=pydantic.ConfigDict(extra="allow"), **fields)


def faults_of(read, *given):
    try:
        read(*given)
        return []
    except Exception as error:
        return [f"{type(error).__name__}: {error}"[:1000]]


def main():
    given = json.load(sys.stdin)
    document = given["document"]
    models = Models(document["components"]["schemas"])

    def validate(answer):
        schema = {**answer["schema"], "components": document["components"]}
        validator = jsonschema.Draft202012Validator
        validator(schema, format_checker=validator.FORMAT_CHECKER).validate(answer["body"])

    def read(answer):
        pydantic.TypeAdapter(models.type_of(answer["schema"])).validate_python(answer["body"])

    faults = {
        "documents": [fault for each in given["documents"] for fault in faults_of(openapi_spec_validator.validate, each)],
        "jsonschema": [fault for each in given["answers"] for fault in faults_of(validate, each)],
        "pydantic": [fault for each in given["answers"] for fault in faults_of(read, each)],
    }
    print(json.dumps(faults))


main()
