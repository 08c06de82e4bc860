/** The command line of `drover`. Commands are imported when they run, so that `--help` answers at once. */

import { Command, type CommanderError, Option } from "commander";
import type { CanOptions } from "./can/can.ts";
import type { ExplainOptions } from "./explain/explain.ts";
import {
  devDefaults,
  featuresOption,
  listenOptions,
  parseTimeout,
  planeOptions,
  type ServerOptions,
} from "./options.ts";
import { version } from "./version.ts";

/** Exit code for a command line that makes no sense, as of most tools. */
const usageError = 2;

/** The program with all its commands; an exit code is left in process.exitCode. */
export function program(): Command {
  const drover = new Command("drover")
    .description("Rancher's multi-cluster management plane as a set of Kubernetes operators")
    .version(version(), "-v, --version", "print the version")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError()
    .exitOverride(exit);
  for (const command of [
    dev(),
    server(),
    crds(),
    can(),
    explain(),
    resetPassword(),
    ensureDefaultAdmin(),
  ])
    drover.addCommand(command);
  return drover;
}

function exit(error: CommanderError): never {
  process.exit(error.exitCode === 0 ? 0 : usageError);
}

function command(name: string, description: string): Command {
  return new Command(name).description(description).showHelpAfterError().exitOverride(exit);
}

function kubeconfigOptions(): readonly Option[] {
  return [
    new Option("--kubeconfig <file>", "kubeconfig; else KUBECONFIG, in-cluster, ~/.kube/config"),
    new Option("--context <name>", "context of the kubeconfig; else its current one"),
  ];
}

function timeoutOption(meaning: string): Option {
  return new Option("--timeout <duration>", `how long to wait ${meaning}`)
    .default(60_000, "60s")
    .argParser(parseTimeout);
}

function add(target: Command, options: readonly Option[]): Command {
  for (const option of options) target.addOption(option);
  return target;
}

function dev(): Command {
  return add(
    command("dev", "start a control plane of its own, the CRDs, the operators and the API"),
    [...listenOptions(devDefaults), ...planeOptions()],
  )
    .option("--dir <path>", "where data, keys and logs are kept", ".drover")
    .option("--kubeconfig <file>", "use this cluster instead of starting a control plane")
    .option("--context <name>", "context of that kubeconfig; else its current one")
    .action(async (options: ServerOptions & { readonly dir: string }) => {
      const { runDev } = await import("./dev/dev.ts");
      process.exitCode = await runDev(options);
    });
}

function server(): Command {
  return add(command("server", "run the operators and the API against a cluster"), [
    ...kubeconfigOptions(),
    ...listenOptions(),
    ...planeOptions(),
    new Option(
      "--tls-cert-file <file>",
      "serving certificate, PEM; without, one of an authority in Secret cattle-system/tls-rancher",
    ),
    new Option("--tls-key-file <file>", "its key, PEM"),
  ]).action(async (options: ServerOptions) => {
    const { runServer } = await import("./server.ts");
    process.exitCode = await runServer(options);
  });
}

function crds(): Command {
  return add(command("crds", "install or update the CRDs and wait until they are served"), [
    ...kubeconfigOptions(),
    new Option("--timeout <duration>", "how long to wait for all of it, such as 1m30s")
      .default(8000, "8s")
      .argParser(parseTimeout),
    new Option("--print", "write the CRDs to standard output instead"),
  ]).action(async (options: import("./crds.ts").CrdsOptions) => {
    const { runCrds } = await import("./crds.ts");
    process.exitCode = await runCrds(options);
  });
}

function can(): Command {
  return add(
    command(
      "can",
      "tell whether somebody may do something in a cluster, and through which bindings",
    )
      .argument("<user>", "name of a User, its username, or a principal such as local://u-abc12")
      .argument("<verb>", "get, list, watch, create, update, patch, delete, ...")
      .argument("<resource>", "such as pods, deployments.apps or pods/exec"),
    [
      ...kubeconfigOptions(),
      new Option("-n, --namespace <name>", "the namespace; else the whole cluster"),
      new Option("-c, --cluster <name>", "name of the Cluster").default("local"),
      new Option("--name <name>", "one object; else any"),
      new Option("--group <name...>", "groups besides those that the last login told"),
      timeoutOption("for the answer; a cluster that does not answer within 10s ends it earlier"),
    ],
  )
    .addHelpText("after", "\nExit code 0: yes, 1: no, 2: the question could not be answered.")
    .action(async (user: string, verb: string, resource: string, options: CanOptions) => {
      const { runCan } = await import("./can/can.ts");
      process.exitCode = await runCan(user, verb, resource, options);
    });
}

function explain(): Command {
  return add(
    command(
      "explain",
      "show what follows from an object, which of it exists, and what differs",
    ).argument(
      "<kind/name>",
      "such as project/p-abc12, crtb/creator-cluster-owner or namespace/web",
    ),
    [
      ...kubeconfigOptions(),
      new Option("-n, --namespace <name>", "the object's namespace"),
      new Option("-c, --cluster <name>", "only what follows in this cluster; else in all"),
      timeoutOption("for all clusters together; one that does not answer within 10s is left out"),
      featuresOption(),
    ],
  )
    .addHelpText(
      "after",
      [
        "",
        "Nothing is changed. The kubeconfig needs the right to impersonate the server (group system:masters).",
        "Exit code 0: all is in order, 1: something differs, 2: nothing is known to differ, but something could not be told.",
      ].join("\n"),
    )
    .action(async (target: string, options: ExplainOptions) => {
      const { runExplain } = await import("./explain/explain.ts");
      process.exitCode = await runExplain(target, options);
    });
}

function resetPassword(): Command {
  return add(
    command("reset-password", "give the default admin a new password and print it"),
    kubeconfigOptions(),
  ).action(async (options: import("./admin.ts").AdminCommandOptions) => {
    const { runResetPassword } = await import("./admin.ts");
    process.exitCode = await runResetPassword(options);
  });
}

function ensureDefaultAdmin(): Command {
  return add(
    command("ensure-default-admin", "make the default admin where there is none, or repair it"),
    kubeconfigOptions(),
  ).action(async (options: import("./admin.ts").AdminCommandOptions) => {
    const { runEnsureDefaultAdmin } = await import("./admin.ts");
    process.exitCode = await runEnsureDefaultAdmin(options);
  });
}
