/* Bytes of memory of PPMd. The decoder needs as much memory as the encoder used. */
enum { MODEL_BYTES = 48 << 20 };
