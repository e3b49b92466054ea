import type { CloudNamespace } from "./namespace.ts";

/** Globals of cloud code, set when `createCloud` loads a file. */
declare global {
  var Parse: CloudNamespace;
  var Moralis: CloudNamespace;
}
