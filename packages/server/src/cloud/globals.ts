import type { CloudNamespace } from "./namespace.ts";

/** What cloud code finds without importing it; there once `createCloud` loads a file. */
declare global {
  var Parse: CloudNamespace;
  var Moralis: CloudNamespace;
}
