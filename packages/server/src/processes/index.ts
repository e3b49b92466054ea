export type { ProcessMetrics, StopMode } from "./messages.ts";
export { processCount } from "./processCount.ts";
export { joinProcessGroup, type ProcessGroup } from "./processGroup.ts";
export { ProcessSupervisor } from "./processSupervisor.ts";
