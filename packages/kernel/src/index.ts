export { closestName, didYouMean } from "./closestName.ts";
export { Lifecycle } from "./lifecycle.ts";
export type { LogFields, Logger } from "./logger.ts";
export {
  type ConfiguredModule,
  defineModule,
  isModule,
  type Module,
  type ModuleClass,
  type ModuleContributions,
  type ModuleFacts,
  type ModuleInputs,
  type ModuleSetting,
  type OpenModule,
  type SettingInputsOf,
} from "./moduleDefinition.ts";
export { assertDistinct, ModuleHost, type OpenedModule } from "./moduleHost.ts";
export { isOff, type SettingOptions, setting, settingOptions, variableOf } from "./setting.ts";
export { deepest, inConfigFile, parseAt, SettingError } from "./settingErrors.ts";
export { optional, type Token, token } from "./token.ts";
