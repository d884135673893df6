"""Training: SFT, GRPO and the process reward model, on transformers, TRL and PEFT (extra `train`)."""
