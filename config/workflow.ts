import * as z from 'zod';
import { says } from './sentences.ts';

/** An id that GitHub gave: it stays the same when the name changes, and nobody gets it again. */
const gitHubId = (path: string) => {
  const error = ({ input }: { input?: unknown }) =>
    `is ${input === undefined ? 'missing' : 'no id of GitHub'}; write the number that this prints: gh api repos/<owner>/<name> --jq ${path}`;
  return z.int({ error }).positive({ error });
};

/** The repository whose workflow may deploy a stage. */
export const workflow = z.strictObject({
  /** As GitHub spells it, capitals included. */
  repository: z
    .string()
    .regex(
      /^[\w-]+\/[\w.-]+$/,
      says(
        'is no repository of GitHub; write its owner and name: <owner>/<name>. Their ids are ownerId and repositoryId.',
      ),
    ),
  /** A name that was given up can be taken by somebody else. The ids say whose repository is meant. */
  ownerId: gitHubId('.owner.id'),
  repositoryId: gitHubId('.id'),
  /** An account has one provider of GitHub's identities at most. */
  reuseIdentityProvider: z.boolean(
    says('is neither true nor false; write true if the account trusts token.actions.githubusercontent.com already.'),
  ),
});
