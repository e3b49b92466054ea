export { Lifecycle } from "./lifecycle.ts";
export type { LogFields, Logger } from "./logger.ts";
export {
  type ConfiguredModule,
  defineModule,
  isModule,
  type Module,
  type ModuleClass,
  type ModuleFacts,
  type ModuleParts,
  type ModuleSetting,
  type OpenModule,
  SettingError,
} from "./moduleDefinition.ts";
export { assertDistinct, ModuleHost } from "./moduleHost.ts";
export { type SettingOptions, setting, settingOptions, variableOf } from "./setting.ts";
export { optional, type Token, token } from "./token.ts";
