import { z } from "zod";

export const studioTheme = z.enum(["system", "light", "dark"]);
export type StudioTheme = z.infer<typeof studioTheme>;
