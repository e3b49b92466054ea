import { z } from "zod";
import { webUrl } from "./settingTypes.ts";

const URL_OF_PAGE = webUrl().optional();

/** `customPages` of the config file: URLs of pages that replace those of the server, with the names of Parse Server. */
export const customPagesSchema = z
  .strictObject({
    invalidLink: URL_OF_PAGE,
    invalidVerificationLink: URL_OF_PAGE,
    linkSendSuccess: URL_OF_PAGE,
    linkSendFail: URL_OF_PAGE,
    verifyEmailSuccess: URL_OF_PAGE,
    choosePassword: URL_OF_PAGE,
    passwordResetSuccess: URL_OF_PAGE,
    parseFrameURL: URL_OF_PAGE,
  })
  .default({});

export type CustomPages = z.output<typeof customPagesSchema>;
