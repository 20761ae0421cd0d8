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

/** A step to leave out, and the check that then has to name the missing edit. */
export type Forgotten = {
  /** The file whose edits are left out; with `anchor`, only the edits at this anchor. */
  readonly file: string;
  readonly anchor?: string;
  /** `npm run generate`, or a unit test. */
  readonly by: 'generate' | `test/${string}.test.ts`;
  /** The text in the output of the check; the name of the file by default. */
  readonly says?: string;
};
