/** The shop's settings, from the environment. `.env.example` explains them. */
export const settings = {
  apiUrl: required("ORIEL_API_URL"),
  checkoutOrigin: required("ORIEL_CHECKOUT_ORIGIN"),
  secretKey: required("ORIEL_SECRET_KEY"),
  webhookSecret: required("ORIEL_WEBHOOK_SECRET"),
  port: Number(process.env["PORT"] ?? "3000"),
  shopOrigin: process.env["SHOP_ORIGIN"] ?? "http://localhost:3000",
};

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}. See .env.example.`);
  return value;
}
