import mocha from "mocha";

/** Mocha's spec reporter, closing with the one line that scripts read: `N passed, N failed, N skipped`. */
export default class Reporter extends mocha.reporters.Spec {
  override epilogue(): void {
    super.epilogue();
    const { passes = 0, failures = 0, pending = 0 } = this.stats;
    process.stdout.write(`\n${passes} passed, ${failures} failed, ${pending} skipped\n`);
  }
}
