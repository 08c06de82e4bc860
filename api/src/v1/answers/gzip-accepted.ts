import type { IncomingMessage } from "node:http";
import { Repeated } from "../../repeated.ts";

/** Whether the caller takes gzip (RFC 9110, 12.5.3). */
export function takesGzip({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const accepted = headers["accept-encoding"];
  return accepted !== undefined && known.of(String(accepted), namesGzip);
}

const known = new Repeated<boolean>();

function namesGzip(accepted: string): boolean {
  const offers = accepted
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const named = offers.find(([name]) => name === "gzip") ?? offers.find(([name]) => name === "*");
  return named !== undefined && !/^q=0(\.0*)?$/.test(named[1] ?? "");
}
