export type { McpAudit } from "./callTool.ts";
export { createMcpApi } from "./mcpApi.ts";
export type { McpOperator } from "./sender.ts";
