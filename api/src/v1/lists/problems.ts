/** What is wrong with a list, as callers are told. */

import { Problem, problem } from "../problem.ts";
import { QueryError } from "../query/errors.ts";
import { type FieldPath, fieldText, shorten } from "../query/field.ts";

/** Runs something that reads parameters; what they get wrong becomes a Problem that names one. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof QueryError) throw problemOfQuery(thrown);
    throw thrown;
  }
}

function problemOfQuery({ parameter, message, path }: QueryError): Problem {
  if (path !== undefined) return invalidColumn(path, parameter, message);
  if (parameter !== "revision") return problem("InvalidFormat", message, parameter);
  return new Problem(400, "invalid revision query param", message, parameter);
}

/** A field that is none (steve: pkg/sqlcache/informer/sqlgenerator.go, ErrInvalidColumn). */
export function invalidField(path: FieldPath, parameter: string): Problem {
  return invalidColumn(fieldText(path), parameter);
}

function invalidColumn(name: string, parameter: string, why?: string): Problem {
  const message = `column is invalid [${shorten(name)}]: supplied column is invalid`;
  return problem("InvalidBodyContent", why ? `${message}: ${why}` : message, parameter);
}

/** A revision that did not come in time. */
export function unknownRevision(): Problem {
  return new Problem(400, "unknown revision", "unknown revision", "revision");
}

/** A cursor from a state of the cluster that is gone, or has not come in time. */
export function goneCursor(): Problem {
  const message = "the list changed too much to go on from here: begin it anew";
  return new Problem(410, "Expired", message, "continue");
}
