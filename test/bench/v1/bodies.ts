/** What the head of a collection tells; only that is read, for a page is a megabyte, and who asks is part of the load. Pure. */

/** The total of a collection. */
export function totalOf(body: Buffer): number | undefined {
  return numberIn(body, "count");
}

function numberIn(body: Buffer, field: string): number | undefined {
  const head = body.toString("utf8", 0, 4096);
  const text = new RegExp(`"${field}":"?(\\d+)`).exec(head)?.[1];
  return text === undefined ? undefined : Number(text);
}
