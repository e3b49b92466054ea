import { appConfig } from "../viteConfig.ts";

export default appConfig("index.html");
