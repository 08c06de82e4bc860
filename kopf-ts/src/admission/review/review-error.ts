/** Options of ReviewError. */
interface ReviewErrorOptions extends ErrorOptions {
  /** Of HTTP; 499 when nobody is there to read it. */
  readonly status: number;
}

/** Thrown when a review gets an HTTP status instead of an answer; its message is sent to the caller, so it holds nothing of the object. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
  readonly status: number;

  constructor(message: string, { status, ...options }: ReviewErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
