import type { McpTool } from "../tool.ts";
import { type ChainToolDependencies, chainTools } from "./chainTools.ts";
import { type DocsToolDependencies, docsTools } from "./docsTools.ts";
import { type ObjectToolDependencies, objectTools } from "./objectTools.ts";
import { serverTools } from "./serverTools.ts";

export interface ToolDependencies
  extends ObjectToolDependencies,
    ChainToolDependencies,
    DocsToolDependencies {}

/** All tools, in the order in which they are listed. */
export function createTools(dependencies: ToolDependencies): McpTool[] {
  return [
    ...serverTools(dependencies),
    ...objectTools(dependencies),
    ...chainTools(dependencies),
    ...docsTools(dependencies),
  ];
}
