import * as z from 'zod';
import { invalid } from './values.ts';

/** An id that GitHub assigned: it stays the same when the name changes, and GitHub never assigns it again. */
const gitHubId = (path: string) => {
  const error = ({ input }: { input?: unknown }) =>
    `is ${input === undefined ? 'missing' : 'not a GitHub id'}; write the number that this prints: gh api repos/<owner>/<name> --jq ${path}`;
  return z.int({ error }).positive({ error });
};

/** The repository whose workflow may deploy a stage. */
export const workflow = z.strictObject({
  /** As GitHub spells it, capitals included. */
  repository: z
    .string()
    .regex(
      /^[\w-]+\/[\w.-]+$/,
      invalid(
        'is not a GitHub repository; write its owner and name: <owner>/<name>. Their ids are ownerId and repositoryId.',
      ),
    ),
  /** Somebody else can take a released name. The ids identify the repository. */
  ownerId: gitHubId('.owner.id'),
  repositoryId: gitHubId('.id'),
  /** True if the account already has an identity provider for GitHub, of which it can have only one. */
  reuseIdentityProvider: z.boolean(
    invalid('is neither true nor false; write true if the account trusts token.actions.githubusercontent.com already.'),
  ),
});
