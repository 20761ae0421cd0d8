import type { TestProject } from 'vitest/node';
import { synthesizeIfStale } from '../../../local/synthesis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    assemblyDirectory: string;
  }
}

/** Synthesizes the stack once for all test files of a project. */
export default async (project: TestProject) => {
  project.provide('assemblyDirectory', await synthesizeIfStale());
};
