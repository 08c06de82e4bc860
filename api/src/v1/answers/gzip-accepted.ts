import type { IncomingMessage } from "node:http";

/** Whether the caller takes gzip (RFC 9110, 12.5.3). */
export function takesGzip({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const offers = String(headers["accept-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const named = offers.find(([name]) => name === "gzip") ?? offers.find(([name]) => name === "*");
  return named !== undefined && !/^q=0(\.0*)?$/.test(named[1] ?? "");
}
