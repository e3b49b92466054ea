// Settings of Purse: `npx purse --help` lists them all.
export default {
  appId: "my-purse-app",
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
