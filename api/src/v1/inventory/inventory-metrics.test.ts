import { expect } from "chai";
import { Metrics } from "kopf-ts";
import { InventoryMetrics } from "./inventory-metrics.ts";

describe("InventoryMetrics", () => {
  const metrics = new Metrics({ process: false });
  const linesOf = async (): Promise<readonly string[]> =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith("drover_api_inventory"));
  const type = (total: number, columns: number, size: number) => ({
    cache: { stats: { allocated: 100, cold: 10, columns, total } },
    size,
  });

  it("tells of each cluster where memory goes, and of none that has gone", async () => {
    const [own, member] = [new InventoryMetrics(metrics, ""), new InventoryMetrics(metrics, "c-a")];

    own.tell([type(150, 30, 5), type(140, 20, 6)]);
    member.tell([]);
    const told = await linesOf();
    own.forget();

    expect(told).to.deep.equal([
      'drover_api_inventory_bytes{cluster="",part="columns"} 50',
      'drover_api_inventory_bytes{cluster="",part="rows"} 20',
      'drover_api_inventory_bytes{cluster="",part="groups"} 11',
      ...["columns", "rows", "groups"].map(
        (part) => `drover_api_inventory_bytes{cluster="c-a",part="${part}"} 0`,
      ),
    ]);
    expect(await linesOf()).to.deep.equal(told.slice(3));
  });
});
