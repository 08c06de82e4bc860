/** Where a behaviour is shown: a file of tests, and what it says there. */
export interface Shown {
  /** Path from the root of the repository. */
  readonly file: string;
  /** The title of the test, or of its row, as it is written in the file. */
  readonly test: string;
}
