import { appConfig } from "../viteConfig.ts";

export default appConfig("studio.html");
