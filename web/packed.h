/* The decoder needs the memory that the encoder had. */
enum { MODEL_BYTES = 48 << 20 };
