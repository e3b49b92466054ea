// The mail adapter of a Purse process: mails go to the adapter of the spec.
import { connectSpecs } from "./functionChannel.mjs";

const channel = connectSpecs("mail");

export default {
  async sendMail(mail) {
    const { error } = await channel.call("mail", [mail]);
    if (error) throw new Error(error.message);
  },
};
