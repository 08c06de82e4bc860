/** LDAP filters and attributes as text (RFC 4515, RFC 4512). */

/** Longer ones are refused unread. */
const longest = 8_192;
/** Filters within filters; no directory takes more. */
const deepest = 64;

const descriptor = "[A-Za-z][A-Za-z0-9-]*";
const oid = "\\d+(?:\\.\\d+)+";
const options = "(?:;[A-Za-z0-9-]+)*";
const attributeForm = new RegExp(`^(?:${descriptor}|${oid})${options}$`);

/** Whether a text is an attribute description: a name or an OID, with options. */
export function isAttribute(text: string): boolean {
  return text.length <= longest && attributeForm.test(text);
}

const value = String.raw`(?:[^\0()*\\]|\\[0-9A-Fa-f]{2})*`;
const type = `(?:${descriptor}|${oid})${options}`;
const rule = `(?:${descriptor}|${oid})`;
/** Without its parentheses: simple, present and substring share a form, as RFC 4515 says. */
const item = new RegExp(
  `^(?:${type}(?:~=|>=|<=)${value}|${type}=${value}(?:\\*${value})*|${type}(?::dn)?(?::${rule})?:=${value}|(?::dn)?:${rule}:=${value})$`,
);

/** Whether a text is a filter, such as `(&(objectClass=person)(uid=a*))`. Its work grows with its length alone. */
export function isFilter(text: string): boolean {
  if (text.length > longest) return false;
  return filterAt(text, 0, deepest) === text.length;
}

/** Where the filter that begins at `start` ends; undefined if there is none. */
function filterAt(text: string, start: number, depth: number): number | undefined {
  if (depth === 0 || text[start] !== "(") return undefined;
  const inside = start + 1;
  const end = endOfBody(text, inside, depth);
  return end !== undefined && text[end] === ")" ? end + 1 : undefined;
}

function endOfBody(text: string, start: number, depth: number): number | undefined {
  const operator = text[start];
  if (operator === "!") return filterAt(text, start + 1, depth - 1);
  if (operator === "&" || operator === "|") return endOfList(text, start + 1, depth - 1);
  const end = text.indexOf(")", start);
  return end >= 0 && item.test(text.slice(start, end)) ? end : undefined;
}

/** Any number of filters, none included: `(&)` is always true, `(|)` always false (RFC 4526). */
function endOfList(text: string, start: number, depth: number): number | undefined {
  let end = start;
  while (text[end] === "(") {
    const next = filterAt(text, end, depth);
    if (next === undefined) return undefined;
    end = next;
  }
  return end;
}
