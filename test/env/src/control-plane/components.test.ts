import { expect } from "chai";
import {
  apiServerArguments,
  controllerManagerArguments,
  etcdArguments,
  type Layout,
} from "./components.ts";

const layout: Layout = {
  etcdData: "/state/etcd",
  pki: "/state/pki",
  run: "/run/x",
  port: 6443,
  controllerManagerKubeconfig: "/run/x/kubeconfig",
};

describe("command lines", () => {
  it("connect the kube-apiserver to its etcd through a socket, without a port", () => {
    const etcd = etcdArguments(layout, {});

    expect(etcd).to.include("--listen-client-urls=unix:///run/x/etcd.sock");
    expect(apiServerArguments(layout, undefined, {})).to.include(
      "--etcd-servers=unix:///run/x/etcd.sock",
    );
    expect(etcd.filter((flag) => /listen.*(http|:\d\d)/.test(flag))).to.deep.equal([]);
  });

  it("let etcd wait for the disk only when asked", () => {
    expect(etcdArguments(layout, {})).to.include("--unsafe-no-fsync");
    expect(etcdArguments(layout, { fsync: true })).to.not.include("--unsafe-no-fsync");
  });

  it("name a token file only when there are tokens", () => {
    const named = (file?: string): boolean =>
      apiServerArguments(layout, file, {}).some((flag) => flag.startsWith("--token-auth-file"));

    expect([named(), named("/state/tokens.csv")]).to.deep.equal([false, true]);
  });

  it("leave out the controllers that need kubelets and keep all others", () => {
    expect(controllerManagerArguments(layout, {})).to.include(
      "--controllers=*,-node-lifecycle-controller,-taint-eviction-controller,-pod-garbage-collector-controller",
    );
  });

  it("give feature gates to both Kubernetes processes", () => {
    const tuning = { featureGates: { WatchList: false, AllAlpha: true } };
    const flag = "--feature-gates=WatchList=false,AllAlpha=true";

    expect(apiServerArguments(layout, undefined, tuning)).to.include(flag);
    expect(controllerManagerArguments(layout, tuning)).to.include(flag);
  });

  it("put the caller's flags last, where they win", () => {
    const flags = { etcd: ["--a=1"], apiServer: ["--b=2"], controllerManager: ["--c=3"] };

    expect(etcdArguments(layout, { flags }).at(-1)).to.equal("--a=1");
    expect(apiServerArguments(layout, undefined, { flags }).at(-1)).to.equal("--b=2");
    expect(controllerManagerArguments(layout, { flags }).at(-1)).to.equal("--c=3");
  });
});
