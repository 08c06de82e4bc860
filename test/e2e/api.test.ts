import { dashboard } from "./api/dashboard.suite.ts";
import { guideOfTheApi } from "./api/guide.suite.ts";
import { kubernetes } from "./api/kubernetes.suite.ts";
import { login } from "./api/login.suite.ts";
import { restart } from "./api/restart.suite.ts";
import { rights } from "./api/rights.suite.ts";
import { Site } from "./api/site.ts";
import { stages } from "./api/stages.suite.ts";
import { tools } from "./api/tools.suite.ts";

describe("the API of a running server", function () {
  this.timeout(240_000);

  let opened: Site | undefined;
  const site = (): Site => {
    if (opened === undefined) throw new Error("the server is not there yet");
    return opened;
  };

  before(async () => {
    opened = await Site.open();
  });
  afterEach(() => opened?.mustRun());
  after(() => opened?.[Symbol.asyncDispose]());

  stages(site);
  login(site);
  dashboard(site);
  tools(site);
  kubernetes(site);
  rights(site);
  guideOfTheApi(site);
  restart(site);
});
