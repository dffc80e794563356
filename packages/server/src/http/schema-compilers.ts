/**
 * Compiles each route schema once per process, because tests open many services in one process and spent most of each
 * start compiling. Fastify's validator compiler keeps what it compiled if it's reused. Its serializer compiler doesn't,
 * so this file does.
 */
import AjvCompiler from "@fastify/ajv-compiler";
import SerializerSelector, { type SerializerFactory } from "@fastify/fast-json-stringify-compiler";

const buildOneSerializer = SerializerSelector();
type Serializer = ReturnType<ReturnType<SerializerFactory>>;

/** By the shared schemas and the options, and then by the route's schema. */
const serializers = new Map<string, Map<string, Serializer>>();

const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildOneSerializer(externalSchemas, options);
  const externals = JSON.stringify([externalSchemas, options]);
  const known = serializers.get(externals) ?? new Map<string, Serializer>();
  serializers.set(externals, known);
  return (route) => {
    const schema = JSON.stringify(route.schema);
    const serializer = known.get(schema) ?? compile(route);
    known.set(schema, serializer);
    return serializer;
  };
};

export const compilersFactory = { buildValidator: AjvCompiler(), buildSerializer };
