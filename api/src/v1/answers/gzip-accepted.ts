import type { IncomingMessage } from "node:http";
import { Repeated } from "../../repeated.ts";

/** Whether the caller takes gzip, and does not like what is not packed better (RFC 9110, 12.5.3). */
export function takesGzip({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const accepted = headers["accept-encoding"];
  return accepted !== undefined && known.of(String(accepted), prefersGzip);
}

const known = new Repeated<boolean>();

function prefersGzip(accepted: string): boolean {
  const offers = accepted
    .toLowerCase()
    .split(",")
    .map((offer) => offer.split(";").map((part) => part.trim()));
  const qualityOf = (coding: string): number | undefined => {
    const offer = offers.find(([name]) => name === coding);
    return offer && Number(/^q=([01](?:\.\d*)?)$/.exec(offer[1] ?? "")?.[1] ?? 1);
  };
  const gzip = qualityOf("gzip") ?? qualityOf("*") ?? 0;
  return gzip > 0 && gzip >= (qualityOf("identity") ?? 0);
}
