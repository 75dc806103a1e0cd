/**
 * A vitest reporter that ends the run with one plain line, `N passed, N failed, N skipped`.
 *
 * When the environment names a file in `PLAIN_REPORT`, the same counts are written there as JSON, so
 * that `.ci/run` can add the results of other steps. A file that does not load and an error outside
 * of every test count as failures.
 */
import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") counts.passed++;
        else if (state === "skipped") counts.skipped++;
        else counts.failed++;
      }
    }
    const reportFile = process.env["PLAIN_REPORT"];
    if (reportFile !== undefined) writeFileSync(reportFile, JSON.stringify(counts));
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
