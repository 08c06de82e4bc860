/** What a new password must be like (rancher: pkg/ext/stores/passwordchangerequest). */

/** What counts for a new password. */
export interface PasswordRules {
  /** Setting password-min-length, in Unicode code points. */
  readonly minimum: number;
  /** The name the user logs in with; absent if there is none. */
  readonly username?: string | undefined;
}

/** Why a password is refused, in one sentence that does not show it; undefined if it is fine. */
export function passwordProblem(
  password: string,
  { minimum, username }: PasswordRules,
): string | undefined {
  if (!isAsLongAs(password, minimum)) return `password must be at least ${minimum} characters`;
  if (password === username) return "password must not be the same as the username";
  return undefined;
}

/** Counts code points, as Go counts runes, and no more of them than it takes. */
function isAsLongAs(text: string, minimum: number): boolean {
  let left = minimum;
  for (const _ of text) {
    if (left <= 1) return true;
    left -= 1;
  }
  return left <= 0;
}
