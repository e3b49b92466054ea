// Settings of Purse: `npx purse --help` lists them all.
export default {
  appId: "my-purse-app",
  // The sources of an app with pages have them, too.
  port: 1337,
  devChainPort: 8545,
  schemas: [
    {
      className: "Note",
      fields: {
        text: { type: "String", required: true },
        author: { type: "String" },
      },
      // Everybody reads notes. Signed-in users create them, and change their own.
      access: "usersCreate",
    },
  ],
};
