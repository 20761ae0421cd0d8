import type { Edit } from './copy.ts';

/** A recipe of CONTRIBUTING.md, followed to the letter. */
export type Recipe = {
  /** Its heading in CONTRIBUTING.md. */
  readonly name: string;
  /** All edits by hand. */
  readonly edits: readonly Edit[];
  /** The files in git that `npm run generate` then writes. */
  readonly generated: readonly string[];
  readonly forgotten: readonly Forgotten[];
};

/** A step that is left out, and the check that has to say what to do. */
export type Forgotten = {
  /** The file whose edits are left out, or only those at this anchor. */
  readonly file: string;
  readonly anchor?: string;
  /** `npm run generate`, or a unit test. */
  readonly by: 'generate' | `test/${string}.test.ts`;
  /** The check's words; by default the name of the file. */
  readonly says?: string;
};
