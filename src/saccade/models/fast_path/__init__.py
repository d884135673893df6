"""Parts that replace those of a vision-language model of transformers, so that it runs near the chip's limit."""
