#!/usr/bin/env node
import { program } from "./program.ts";

// Whoever reads us may stop reading (`drover crds --print | head`): that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
await program().parseAsync();
