export type { McpAudit } from "./callTool.ts";
export { createMcpApi, type McpApi } from "./mcpApi.ts";
export type { McpOperator } from "./sender.ts";
