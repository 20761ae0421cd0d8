import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type Proof, type Proofs, proofsFile, readProofs } from '../../docs/generate/proofs.ts';

/**
 * Records the results of campaigns in docs/proofs.md. Campaigns that did not run keep their records, and a failed run records
 * nothing. `npm run prove:full` uses it, and `npm run prove -- --reporter=./test/support/proof-reporter.ts`.
 */
export default class ProofReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: string): void {
    if (reason !== 'passed') return;
    const recorded = Object.fromEntries(
      modules.map((module) => [relative(process.cwd(), module.moduleId), proofOf(module)] as const),
    );
    const shown = Object.entries<Proof>({ ...readProofs(), ...recorded } satisfies Proofs)
      .filter(([, { results }]) => results.length > 0)
      .toSorted(([left], [right]) => left.localeCompare(right));
    writeFileSync(proofsFile, `${JSON.stringify(Object.fromEntries(shown), undefined, 2)}\n`);
  }
}

const proofOf = (module: TestModule): Proof => ({
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  size: module.project.config.mode === 'full' ? 'full' : 'prove',
  results: [...module.children.allTests('passed')].map((test) => ({
    guarantee: test.fullName.replaceAll(' > ', ': '),
    figures: test.annotations().map(({ message }) => message),
    seconds: Math.round(test.diagnostic()?.duration ?? 0) / 1000,
  })),
});
