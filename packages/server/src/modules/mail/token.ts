import { token } from "@purse/kernel";
import type { MailService } from "../../core/mail.ts";

export const MAIL = token<MailService>("mail");
