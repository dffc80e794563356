/** Customers: your records of people, which saved cards belong to. */
import type {
  CreateCustomer,
  Customer,
  DeletedCustomer,
  List,
  PaymentMethod,
  UpdateCustomer,
} from "@oriel/protocol/api";
import type { ListParams, RequestOptions, WriteOptions } from "../client-options.ts";
import { listAll, type ListAllParams } from "../list-all.ts";
import type { Sender } from "../send-request.ts";

/** Filters customers by your own ID, or by exactly this email address. */
export interface CustomerListParams extends ListParams {
  reference?: string;
  email?: string;
}

export interface Customers {
  /**
   * Creates a customer. `reference` is your own ID for the person, and no two customers can have the same one.
   *
   * @example
   * const customer = await oriel.customers.create({ reference: user.id, email: user.email });
   * @throws OrielInvalidRequestError for an invalid field, named by `param`: `reference` if another customer has it
   */
  create(params?: CreateCustomer, options?: WriteOptions): Promise<Customer>;

  /**
   * Retrieves a customer that isn't deleted.
   *
   * @example const { email } = await oriel.customers.retrieve("cus_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  retrieve(id: string, options?: RequestOptions): Promise<Customer>;

  /**
   * Returns one page of customers, newest first.
   *
   * @example const [customer] = (await oriel.customers.list({ reference: user.id })).data;
   * @throws OrielInvalidRequestError if the limit isn't 1 to 100
   */
  list(params?: CustomerListParams, options?: RequestOptions): Promise<List<Customer>>;

  /**
   * Iterates over all customers, newest first. Pages of 100 are fetched as needed.
   *
   * @example for await (const customer of oriel.customers.listAll()) console.log(customer.id, customer.reference);
   * @throws the errors of `list`, during iteration
   */
  listAll(params?: ListAllParams<CustomerListParams>, options?: RequestOptions): AsyncIterable<Customer>;

  /**
   * Changes the fields that you send, and clears those that are null. In `metadata`, null removes a key.
   *
   * @example await oriel.customers.update("cus_01j9x", { email: "ada@customer.example", phone: null });
   * @throws OrielInvalidRequestError `resource_missing`, or for an invalid field
   */
  update(id: string, params: UpdateCustomer, options?: RequestOptions): Promise<Customer>;

  /**
   * Deletes a customer's personal data and saved cards. This can't be undone.
   *
   * @example await oriel.customers.del("cus_01j9x");
   * @throws OrielInvalidRequestError `resource_missing`
   */
  del(id: string, options?: RequestOptions): Promise<DeletedCustomer>;

  /**
   * Returns all saved cards of a customer, at most 100: last used first, then newest.
   *
   * @example const [latest] = (await oriel.customers.listPaymentMethods("cus_01j9x")).data;
   * @throws OrielInvalidRequestError `resource_missing`
   */
  listPaymentMethods(id: string, options?: RequestOptions): Promise<List<PaymentMethod>>;
}

export function customers({ get, post, patch, del }: Sender): Customers {
  const list: Customers["list"] = (params = {}, options) => get(["customers"], params, options);
  const endpoint: Customers = {
    create: (params = {}, options) => post(["customers"], params, options),
    retrieve: (id, options) => get(["customers", id], {}, options),
    list,
    listAll: (params = {}, options) => listAll(list, params, options),
    update: (id, params, options) => patch(["customers", id], params, options),
    del: (id, options) => del<DeletedCustomer>(["customers", id], { id, object: "customer", deleted: true }, options),
    listPaymentMethods: (id, options) => get(["customers", id, "payment_methods"], {}, options),
  };
  return Object.freeze(endpoint);
}
