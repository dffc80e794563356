/** Customers, which saved cards belong to. */
import Type, { type Static } from "typebox";
import { closed, id, nullable, UnixSeconds } from "../shapes.ts";
import { Metadata, MetadataChange } from "./fields.ts";

const Reference = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Your own ID for this customer. No two of your customers can have the same one.",
});
const Email = Type.String({ maxLength: 254 });
const Name = Type.String({ maxLength: 200 });
const Phone = Type.String({
  maxLength: 40,
  description:
    "A phone number. Start it with `+` and the country code, because long numbers can look like card numbers.",
});

export const CreateCustomer = closed({
  reference: Type.Optional(Reference),
  email: Type.Optional(Email),
  name: Type.Optional(Name),
  phone: Type.Optional(Phone),
  metadata: Type.Optional(Metadata),
});
export type CreateCustomer = Static<typeof CreateCustomer>;

export const UpdateCustomer = closed({
  reference: Type.Optional(nullable(Reference)),
  email: Type.Optional(nullable(Email)),
  name: Type.Optional(nullable(Name)),
  phone: Type.Optional(nullable(Phone)),
  metadata: Type.Optional(MetadataChange),
});
export type UpdateCustomer = Static<typeof UpdateCustomer>;

export const Customer = closed(
  {
    id: id("cus"),
    object: Type.Literal("customer"),
    livemode: Type.Boolean(),
    created: UnixSeconds,
    reference: nullable(Reference),
    email: nullable(Email),
    name: nullable(Name),
    phone: nullable(Phone),
    metadata: Metadata,
  },
  { $id: "Customer", description: "Your record of a person, which saved cards belong to." },
);
export type Customer = Static<typeof Customer>;

export const DeletedCustomer = closed(
  { id: id("cus"), object: Type.Literal("customer"), deleted: Type.Literal(true) },
  { $id: "DeletedCustomer", description: "A deleted customer. Their personal data and cards are deleted too." },
);
export type DeletedCustomer = Static<typeof DeletedCustomer>;
