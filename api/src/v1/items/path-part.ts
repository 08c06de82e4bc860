/** What most names consist of: nothing that means something else in a URL. */
const plain = /^[\w.:@=+,~!$&'()*;-]*$/;

/** A name as a part of the path of a URL: those of roles may have anything in them but `/` and `%`. */
export function pathPart(name: string): string {
  if (plain.test(name)) return name;
  return encodeURI(name.toWellFormed()).replace(/[?#]/g, encodeURIComponent);
}
