import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mutantRunner } from './runner.ts';
import type { ModuleFacts } from './source-mutants.ts';

type Module = ModuleFacts & {
  readonly isOn: boolean[];
  readonly isMet: boolean[];
  readonly again: (() => void)[];
};

/** Returns to an instrumented module whether its mutant of this number is on. */
type MutantSwitch = ((index: number) => boolean) & {
  /** Registers a module-level computation, which runs again whenever a mutant of it is turned on or off. */
  readonly again: (compute: () => void) => void;
};

declare global {
  var mutantSwitch: (facts: ModuleFacts) => MutantSwitch;
}

const modules = new Map<string, Module>();
let loadingFault: unknown;
let steps = 0;
let stepsWithout = 0;
let maxSteps = Number.POSITIVE_INFINITY;

/** A run counts as endless after 20 times the steps that it takes without a mutant: numbers that grow make each step slower. */
const endlessAfter = () => 20 * stepsWithout + 100_000;

globalThis.mutantSwitch = (facts) => {
  const none = () => facts.names.map(() => false);
  const module: Module = { ...facts, isOn: none(), isMet: none(), again: [] };
  modules.set(facts.file, module);
  const isOn = (index: number): boolean => {
    if (loadingFault !== undefined) throw loadingFault;
    if (++steps > maxSteps) throw new Error('The mutant runs without end.');
    module.isMet[index] = true;
    return module.isOn[index] === true;
  };
  return Object.assign(isOn, { again: (compute: () => void) => void module.again.push(compute) });
};

/** Turns these mutants on and all others off, and forgets which were reached before. */
const beginWith = (mutants: readonly string[]): void => {
  const on = new Set(mutants);
  let isLoadedAnew = false;
  for (const { names, ofLoading, isOn } of modules.values())
    for (const [index, name] of names.entries()) {
      if (isOn[index] !== on.has(name) && ofLoading.includes(index)) isLoadedAnew = true;
      isOn[index] = on.has(name);
    }
  maxSteps = mutants.length > 0 ? endlessAfter() : Number.POSITIVE_INFINITY;
  loadingFault = undefined;
  steps = 0;
  if (isLoadedAnew) loadAnew();
  for (const { isMet } of modules.values()) isMet.fill(false);
  if (loadingFault === undefined) steps = 0;
};

/** Repeats the module-level computations in the order in which the modules were loaded, dependencies first. */
const loadAnew = () => {
  try {
    for (const { again } of modules.values()) for (const compute of again) compute();
  } catch (error) {
    loadingFault = error;
  }
};

/**
 * Returns the mutants that the test reached, and those of module-level code in modules that the test reached, that these import or
 * that the test file imports. Called after a run without a mutant.
 */
const met = (testFile: string): string[] => {
  stepsWithout = steps;
  const used = new Set<Module>();
  const use = (module: Module | undefined) => {
    if (!module || used.has(module)) return;
    used.add(module);
    for (const path of module.imports) use(modules.get(path));
  };
  const imported = new Set(importsOf(testFile));
  for (const module of modules.values()) if (module.isMet.includes(true) || imported.has(module.file)) use(module);
  return [...used].flatMap(({ names, isMet, ofLoading }) =>
    names.filter((_, index) => isMet[index] || ofLoading.includes(index)),
  );
};

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path));

export default mutantRunner({ beginWith, met });
