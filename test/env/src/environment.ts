/** Variables a child may see. etcd reads every ETCD_* as a flag, and KUBECONFIG names a foreign cluster. */
const PASSED = ["PATH", "HOME", "TMPDIR", "TZ", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/** The environment of the processes started here: nothing of the shell that could change what they do. */
export function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of PASSED) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...more };
}
