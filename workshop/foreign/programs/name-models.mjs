// Prints the names of the models that Modelina generates from an AsyncAPI document, or the parser's findings.
import { readFileSync } from 'node:fs';
import { TypeScriptGenerator } from '@asyncapi/modelina';
import { Parser } from '@asyncapi/parser';

const { document, diagnostics } = await new Parser().parse(readFileSync(process.argv[2], 'utf8'));
const [errors, warnings] = [0, 1];
const faults = diagnostics.filter(({ severity }) => severity === errors || severity === warnings);
const models = document ? await new TypeScriptGenerator().generate(document) : [];
console.log(
  JSON.stringify({ faults: faults.map(({ message }) => message), names: models.map(({ modelName }) => modelName) }),
);
