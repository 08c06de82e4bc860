import { expect } from "chai";
import { deadline, timeoutOf, within } from "./deadline.ts";

const forever = (): Promise<never> => Promise.withResolvers<never>().promise;
const thrown = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe("a deadline", () => {
  it("aborts with what it is for", async () => {
    using limit = timeoutOf(1);

    const error = await thrown(within(limit.signal, forever));

    expect(error).to.have.property("message", "the 0.001 s of --timeout are over");
  });

  it("aborts with the one around it", () => {
    const outer = new AbortController();
    using limit = deadline(60_000, "too long", outer.signal);

    outer.abort(new Error("outer"));

    expect(limit.signal.reason).to.have.property("message", "outer");
  });
});

describe("within", () => {
  const { signal } = new AbortController();

  it("answers what the work does", async () => {
    expect(await within(signal, async () => 1)).to.equal(1);
    expect(await thrown(within(signal, () => Promise.reject(new Error("no"))))).to.have.property(
      "message",
      "no",
    );
  });

  it("answers what work that heeds the signal says of its end", async () => {
    const abort = new AbortController();
    const { promise, reject } = Promise.withResolvers<never>();
    const heed = async (): Promise<void> => {
      await Promise.resolve(); // slower than the signal
      reject(new Error("nodes could not be listed"));
    };
    abort.signal.addEventListener("abort", () => void heed());

    const outcome = thrown(within(abort.signal, () => promise));
    abort.abort(new Error("over"));

    expect(await outcome).to.have.property("message", "nodes could not be listed");
  });

  it("begins nothing once its signal has aborted", async () => {
    let begun = false;
    const work = async (): Promise<void> => {
      begun = true;
    };

    const error = await thrown(within(AbortSignal.abort(new Error("over")), work));

    expect(error).to.have.property("message", "over");
    expect(begun).to.equal(false);
  });
});
